/** Something that the person at the terminal can put right: the message says what to do, a stack trace would not help. */
export class UserError extends Error {
  override readonly name = 'UserError';
}
