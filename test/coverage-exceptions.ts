// Branches of src/ledger/ that no test takes (test/coverage.ts), each with why.

/** `text` is how the line begins. */
type Exception = { readonly file: string; readonly text: string; readonly why: string };

export const exceptions: readonly Exception[] = [
  {
    file: 'src/ledger/seal.ts',
    text: "if (process.platform === 'win32') return;",
    why: 'Windows opens no folders to sync them',
  },
  {
    file: 'src/ledger/sqlite/file.ts',
    text: "if (process.platform !== 'win32') sync(folder, 'r');",
    why: 'Windows opens no folders to sync them',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: "if (process.platform !== 'win32') sync(path.dirname(file));",
    why: 'Windows opens no folders to sync them',
  },
  {
    file: 'src/ledger/sqlite/file.ts',
    text: 'renameSync(draft, path); // a file system without hard links',
    why: 'needs a file system without hard links',
  },
  {
    file: 'src/ledger/sqlite/file.ts',
    text: "if (codeOf(error) === 'EEXIST' || existsSync(path)) return 'taken';",
    why: 'its second half needs a file system without hard links, and another process in the same moment',
  },
  {
    file: 'src/ledger/sqlite/file.ts',
    text: 'if (existsSync(path)) return;',
    why: 'another process makes the ledger between two system calls',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'if (existsSync(file)) throw new LedgerRefusal(',
    why: 'somebody else makes the file between the look and the placing',
  },
  {
    file: 'src/ledger/sqlite/ledger.ts',
    text: 'if (account !== undefined) this.#store.periods.refreshIfDue(account, atMs);',
    why: 'the type asks; an account that was found is never deleted',
  },
  {
    file: 'src/ledger/sqlite/periods.ts',
    text: 'const [was, is] = [astrayMs, account.periodEndsAtMs].map((ms) => new Date(ms ?? atMs).toISOString());',
    why: 'the type asks; a period that is astray has an end',
  },
  {
    file: 'src/ledger/sqlite/keeping/guard.ts',
    text: "if (this.#state === 'suspended') this.#state = 'sound';",
    why: 'a ledger is not lost while it is checked and then found sound; were it so, it must stay lost',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: '} catch (error) {',
    why: 'at the stop: the disk fails between two system calls, after the file was found',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: 'if (error instanceof TypeError || unreadable.has(resultOf(error))) return undefined;',
    why: 'its last way needs a disk that fails to be read while the service runs',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: 'throw error;',
    why: 'a disk that fails to be read while the service runs',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: "return this.#loseContent(size < this.#lowest.size ? ' was truncated' : ' was overwritten');",
    why: 'depends on the moment: a file that was cut off is mostly told by its time first',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: 'return copied === backfilled || copied <= 0;',
    why: 'depends on the moment: another process copies the log between two looks',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: "const reserve = gone === 'let go' ? ' (its reserve was let go)' : '';",
    why: 'depends on the moment: mostly a charge meets the full disk before the thread does',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: "say({ kind: 'lost', what: error instanceof Error ? error.message : String(error) });",
    why: 'the type asks; a check throws nothing but errors',
  },
  {
    file: 'src/ledger/chain.ts',
    text: "kind === 'purchase' ||",
    why: 'its last way needs the account of the public key without hashes and without a reversal; forgery.test.ts has it among others',
  },
  {
    file: 'src/ledger/replay.ts',
    text: 'if (this.#openedAtMs !== undefined &&',
    why: 'the type asks; every account has the entry of its opening',
  },
  {
    file: 'src/ledger/replay.ts',
    text: 'const [, said, name] = openedNote.exec',
    why: 'the first entry of an account always has such a note; other hands would have to work hashes out',
  },
  {
    file: 'src/ledger/replay.ts',
    text: 'if (said === undefined || name === undefined',
    why: 'the type asks; other hands would have to work hashes out',
  },
  {
    file: 'src/ledger/replay.ts',
    text: 'return;',
    why: 'the note of another plan than the one before: other hands would have to work hashes out',
  },
  {
    file: 'src/ledger/sqlite/file.ts',
    text: 'if (row === undefined || readText(row, pragma)',
    why: 'the type asks; the check of SQLite always gives a row',
  },
  {
    file: 'src/ledger/sqlite/journals.ts',
    text: 'error instanceof TypeError ||',
    why: 'its last way needs a disk that fails while it is read',
  },
  {
    file: 'src/ledger/sqlite/journals.ts',
    text: 'if (!isOfARow) throw error;',
    why: 'needs a disk that fails while it is read',
  },
  {
    file: 'src/ledger/sqlite/proofs.ts',
    text: 'if (readers.get(account)?.break !== undefined ||',
    why: 'a journal that breaks after charges that were counted, with their usage gone: two changes at once',
  },
  {
    file: 'src/ledger/sqlite/proofs.ts',
    text: "if (charge === undefined || readNumber(charge, 'seq')",
    why: 'a reversal has the time of its charge, so that both are trimmed together',
  },
  {
    file: 'src/ledger/sqlite/proofs.ts',
    text: 'if (payer === null && entry >',
    why: 'the type asks; a remembered call refers to an account that is there',
  },
  {
    file: 'src/ledger/sqlite/proofs.ts',
    text: "readTextOrNull(row, 'charge_id') === null ||",
    why: 'two columns of one entry that are never there alone: one answer tells both',
  },
  {
    file: 'src/ledger/sqlite/proofs.ts',
    text: "if (payer !== null && readNumber(row, 'paid_at')",
    why: 'a remembered call whose charge was trimmed: kept a day, trimmed after 62',
  },
  {
    file: 'src/ledger/sqlite/proofs.ts',
    text: 'if (this.#reversed.has(readTextOrNull',
    why: 'a remembered call whose charge was trimmed: kept a day, trimmed after 62',
  },
  {
    file: 'src/ledger/sqlite/repeats.ts',
    text: 'if (found !== undefined && found.chargeId !== null',
    why: 'a remembered call whose charge was trimmed: kept a day, trimmed after 62',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'tell: () => undefined,',
    why: 'the type asks; a backup brings no ledger up to date and tells nothing',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'throw asLedgerError(error, damage.includes',
    why: 'the type asks; whether the copy or the ledger fails depends on the disk',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'const unsound = unsoundIn(draft,',
    why: 'the type asks; a draft was brought up to date before',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'function olderYet(',
    why: 'the type asks; a draft was brought up to date before',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'if (!(error instanceof LedgerUnavailable)) throw error;',
    why: 'a fault of the program itself',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'if (error instanceof TypeError || resultOf(error)',
    why: 'its last way is a fault of the program itself',
  },
  {
    file: 'src/ledger/sqlite/keeping/backup.ts',
    text: 'throw error;',
    why: 'a fault of the program itself',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: 'if (this.#isLost) return;',
    why: 'depends on the moment: a tick that was due when the ledger was found lost',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: 'if (this.#isLogCut())',
    why: 'depends on the moment: the next commit makes a log that was cut off as long again',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: 'const pages = row === undefined ?',
    why: 'the type asks; a checkpoint always gives a row',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: 'const pulse = readIdentity(this.#db)?.pulse ??',
    why: 'the type asks; a ledger in use has an identity',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: "if (this.#look() === 'ours') this.#copy",
    why: 'depends on the moment: the file is overwritten between two looks a few milliseconds apart',
  },
  {
    file: 'src/ledger/sqlite/keeping/compare.ts',
    text: 'if (error instanceof TypeError || resultOf(error)',
    why: 'its last way is a fault of the program itself',
  },
  {
    file: 'src/ledger/sqlite/keeping/compare.ts',
    text: 'throw error;',
    why: 'a fault of the program itself',
  },
  {
    file: 'src/ledger/sqlite/keeping/keeper.ts',
    text: 'const { id, generation } = readIdentity(db) ??',
    why: 'the type asks; a ledger that was opened has an identity',
  },
  {
    file: 'src/ledger/sqlite/keeping/keeper.ts',
    text: 'const { pulse } = readIdentity(db) ??',
    why: 'the type asks; a ledger that was opened has an identity',
  },
  {
    file: 'src/ledger/sqlite/keeping/keeper.ts',
    text: 'checkpointed: isCopied ?',
    why: 'depends on the moment: another command reads the log while this one ends',
  },
  {
    file: 'src/ledger/sqlite/keeping/keeper.ts',
    text: 'stamp: isCopied ?',
    why: 'depends on the moment: another command reads the log while this one ends',
  },
];
