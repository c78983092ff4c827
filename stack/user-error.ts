/** An error that the person at the terminal can correct. The message says what to do; no stack trace is printed. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
