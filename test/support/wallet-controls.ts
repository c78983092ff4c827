/** One effective movement in the operator's books. */
export interface Movement {
  type: string;
  hash: string;
  amount: number;
  realDelta: number;
}

export interface LedgerOfRound {
  /** `unknown` if the operator does not know the round. */
  status: 'open' | 'closed' | 'failed' | 'voided' | 'unknown';
  /** The change of the player's balance by the round, in minor units. */
  net: number;
  movements: Movement[];
}

export interface WalletCallSeen {
  path: string;
  status: number | null;
  at: string;
  headers: Record<string, string>;
  fault?: string;
  body: {
    playerId: string;
    gameCode: string;
    gameRound: string;
    transactionCount: number;
    transactions: {
      type: string;
      hash: string;
      amount?: number;
      isFirstDebit?: boolean;
      currency: string;
      timestamp: string;
    }[];
  };
}

/** The switches and books of the sandbox's wallet, over its public HTTP interface. */
export interface WalletControls {
  /** Adds a switch (sandbox/http/faults.ts). Returns its id. */
  fault(fault: object): Promise<number>;
  clearFaults(): Promise<void>;
  /** Lets the wallet process the calls that it holds. */
  release(): Promise<void>;
  ledger(gameround: string, operatorId?: string): Promise<LedgerOfRound>;
  /** doTransactions calls of a round, oldest first. */
  calls(gameround: string): Promise<WalletCallSeen[]>;
  callsOfPlayer(playerId: string): Promise<WalletCallSeen[]>;
  /** For each call of a round, the types of its transactions, such as `credit+end`. */
  sent(gameround: string): Promise<string[]>;
  balance(playerId: string, operatorId?: string): Promise<number | undefined>;
}

export function walletControls(walletUrl: string): WalletControls {
  async function admin(path: string, method = 'GET', body?: object): Promise<unknown> {
    const headers = { 'content-type': 'application/json' };
    const reply = await fetch(`${walletUrl}/sandbox/${path}`, {
      method,
      headers,
      body: body ? JSON.stringify(body) : null,
    });
    if (!reply.ok) throw new Error(`sandbox ${path}: ${reply.status} ${await reply.text()}`);
    return reply.json();
  }
  async function callsWith(search: Record<string, string>): Promise<WalletCallSeen[]> {
    const query = new URLSearchParams({ ...search, path: '/doTransactions' });
    return ((await admin(`calls?${query.toString()}`)) as { calls: WalletCallSeen[] }).calls;
  }
  const calls = (gameround: string): Promise<WalletCallSeen[]> => callsWith({ gameRound: gameround });
  return {
    fault: async (fault) => ((await admin('faults', 'POST', fault)) as { id: number }).id,
    clearFaults: async () => void (await admin('faults', 'DELETE')),
    release: async () => void (await admin('release', 'POST', {})),
    ledger: async (gameround, operatorId = 'op1') => {
      const query = new URLSearchParams({ gameRound: gameround, operatorId });
      const { rounds, movements } = (await admin(`ledger?${query.toString()}`)) as {
        rounds: { status: LedgerOfRound['status']; net: number }[];
        movements: Movement[];
      };
      return { status: rounds[0]?.status ?? 'unknown', net: rounds[0]?.net ?? 0, movements };
    },
    calls,
    callsOfPlayer: (playerId) => callsWith({ playerId }),
    sent: async (gameround) =>
      (await calls(gameround)).map(({ body }) => body.transactions.map(({ type }) => type).join('+')),
    balance: async (playerId, operatorId = 'op1') => {
      const reply = await fetch(`${walletUrl}/sandbox/players/${playerId}?operatorId=${operatorId}`);
      const { balances } = (await reply.json()) as { balances: { currency: string; real: number }[] };
      return balances[0]?.real;
    },
  };
}
