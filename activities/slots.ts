/** Counts what each operator holds at a time; a slow one must not take every slot. */
export interface Slots {
  /** A function that gives the slot back, or undefined when the operator holds its share. */
  tryAcquire(operatorId: string): (() => void) | undefined;
}

export function createSlots(perOperator: number): Slots {
  const held = new Map<string, number>();
  return {
    tryAcquire(operatorId) {
      const count = held.get(operatorId) ?? 0;
      if (count >= perOperator) return undefined;
      held.set(operatorId, count + 1);
      return () => {
        const left = (held.get(operatorId) ?? 1) - 1;
        if (left === 0) held.delete(operatorId);
        else held.set(operatorId, left);
      };
    },
  };
}
