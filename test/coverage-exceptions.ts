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
    why: 'the type asks; a trigger keeps accounts from being deleted',
  },
  {
    file: 'src/ledger/stored/periods.ts',
    text: 'const [was, is] = [astrayMs, account.periodEndsAtMs].map((ms) => new Date(ms ?? atMs).toISOString());',
    why: 'the type asks; a period that is astray has an end',
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
    text: "const reserve = gone === 'let go' ? ' (its reserve was let go)' : '';",
    why: 'depends on the moment: mostly a charge meets the full disk before the thread does',
  },
  {
    file: 'src/ledger/sqlite/keeping/checkpoint-thread.ts',
    text: "say({ kind: 'lost', what: error instanceof Error ? error.message : String(error) });",
    why: 'the type asks; a check throws nothing but errors',
  },
];
