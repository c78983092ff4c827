/** Whether a value of a history or a record has another form than the service writes. A server that is down fails otherwise. */
export function isOfOddForm(error: unknown): error is Error {
  return [TypeError, RangeError, SyntaxError].some((kind) => error instanceof kind);
}

/** For a person: what is of an odd form, and why. */
export function oddFormText({ message }: Error): string {
  return `the history or the record has another form than the service writes: ${message}`;
}
