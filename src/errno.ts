// What the operating system or Node says of an error, in one word.

/** The code of a system error, such as ENOENT; undefined for any other error. */
export const errorCode = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
