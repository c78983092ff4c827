import { temporal } from '@temporalio/proto';

type History = temporal.api.history.v1.IHistory;

/**
 * A history as JSON. The SDK's historyToJSON fails where npm installs protobufjs twice, so this is the plain form of
 * its messages: enums by name, 64-bit numbers as text, bytes in base64.
 */
export function toText(history: History): string {
  return JSON.stringify(temporal.api.history.v1.History.fromObject(history).toJSON());
}

export function fromText(text: string): temporal.api.history.v1.History {
  return temporal.api.history.v1.History.fromObject(JSON.parse(text) as object);
}
