/** Limits the calls in flight per tenant, so that a slow tenant can't take every slot. */
export interface Slots {
  /** A function that releases the slot, or undefined if the tenant already holds its share or `most` slots. */
  tryAcquire(tenant: string, most?: number): (() => void) | undefined;
}

export function createSlots(perTenant: number): Slots {
  const held = new Map<string, number>();
  return {
    tryAcquire(tenant, most = perTenant) {
      const count = held.get(tenant) ?? 0;
      if (count >= Math.min(most, perTenant)) return undefined;
      held.set(tenant, count + 1);
      return () => {
        const left = (held.get(tenant) ?? 1) - 1;
        if (left === 0) held.delete(tenant);
        else held.set(tenant, left);
      };
    },
  };
}
