// The PostgreSQL engine keeps the contract of every engine.

import { ledgerContract } from '../contract.ts';
import { retentionContract } from '../contract-retention.ts';
import { modelContract } from '../model.ts';
import { engine } from './bench.ts';

ledgerContract(engine);
modelContract(engine);
retentionContract(engine);
