// The address of a database and what it says about TLS. The address holds a password: it never appears in a message.

import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { LedgerRefusal } from '../ledger.ts';

type Address = {
  /** Without what it said about TLS. */
  readonly connectionString: string;
  readonly ssl: false | ConnectionOptions;
};

const notAnAddress = () =>
  new LedgerRefusal('DATABASE_URL is not an address like postgres://USER:PASSWORD@HOST:5432/DATABASE.');

const modes = ['disable', 'require', 'verify-ca', 'verify-full'] as const;

/** As PostgreSQL's own clients read it, but that nothing is left to chance: what may or may not be encrypted is refused,
 *  and without a word the certificate is verified, unless the way does not leave the machine. */
export function readAddress(url: string): Address {
  const address = URL.parse(url);
  if (address === null || !/^postgres(ql)?:$/.test(address.protocol)) {
    throw notAnAddress();
  }
  const take = (name: string): string | undefined => {
    const value = address.searchParams.get(name) ?? undefined;
    address.searchParams.delete(name);
    return value;
  };
  const given = take('sslmode');
  const [ca, cert, key] = [take('sslrootcert'), take('sslcert'), take('sslkey')].map(readPem);
  const mode = given ?? (isThisMachine(address) ? 'disable' : 'verify-full');
  const known = modes.find((each) => each === mode);
  if (known === undefined) {
    throw new LedgerRefusal(`The sslmode in DATABASE_URL is none of ${modes.join(', ')}; use one of them.`);
  }
  const connectionString = address.href;
  if (known === 'disable') return { connectionString, ssl: false };
  const parts = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key }) };
  if (known === 'verify-full') return { connectionString, ssl: parts };
  // A root certificate makes `require` verify too, as it does in libpq.
  const verifies = known === 'verify-ca' || ca !== undefined;
  return {
    connectionString,
    ssl: verifies
      ? { ...parts, checkServerIdentity: () => undefined }
      : { ...parts, rejectUnauthorized: false },
  };
}

/** As people are told of it: without user and password. */
export function nameOf(url: string): string {
  const address = URL.parse(url);
  if (address === null) throw notAnAddress();
  const host = address.searchParams.get('host') ?? address.host;
  const database = decodeURIComponent(address.pathname.slice(1));
  return `the database ${database === '' ? 'of its user' : database} on ${host === '' ? 'localhost' : host}`;
}

function isThisMachine({ hostname, searchParams }: URL): boolean {
  const host = searchParams.get('host') ?? decodeURIComponent(hostname);
  return host.startsWith('/') || ['', 'localhost', '127.0.0.1', '[::1]', '::1'].includes(host);
}

function readPem(file: string | undefined): string | undefined {
  if (file === undefined || file === 'system') return undefined;
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    throw new LedgerRefusal(
      `${file}, which DATABASE_URL names, cannot be read; correct its path or its owner.`,
      {
        cause: error,
      },
    );
  }
}
