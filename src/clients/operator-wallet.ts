import { describe, readBalance } from '../domain/classify-wallet-reply';
import { errorIn } from '../domain/errors';
import { brokenBalanceRules, brokenReportRules, type ReplyReport } from '../domain/wallet-rules';
import type { OperatorTransaction } from '../domain/wallet-call';
import type { HttpAnswer, HttpClient } from './http';
import { signFields } from './signing';
import type { BalanceAnswer, OperatorAddress, OperatorWallet } from './types';

/** The client of the operator's wallet protocol (docs/interface#wallet-calls). */
export function createOperatorWallet(
  http: HttpClient,
  observe: (report: ReplyReport) => void = () => undefined,
): OperatorWallet {
  return {
    async doTransactions(operator, { playerId, gameCode, gameRound, call }) {
      const { transactions } = call;
      const body = { playerId, gameCode, gameRound, transactions, transactionCount: transactions.length };
      return http.send({
        tenant: operator.operatorId,
        method: 'POST',
        url: urlOf(operator, 'doTransactions'),
        headers: signed(operator, [playerId, gameCode, gameRound, ...transactions.flatMap(signedParts)]),
        body: JSON.stringify(body),
        gameround: gameRound,
        timeoutMs: operator.walletTimeoutMs,
      });
    },
    async getBalance(operator, { playerId, currency, gameCode, externalSessionId }) {
      const query = new URLSearchParams({
        playerId,
        currency,
        ...(gameCode === undefined ? {} : { gameCode }),
        ...(externalSessionId === undefined ? {} : { externalSessionId }),
      });
      const answer = await http.send({
        tenant: operator.operatorId,
        method: 'GET',
        url: `${urlOf(operator, 'getBalance')}?${query.toString()}`,
        headers: signed(operator, [playerId, currency, ...(gameCode === undefined ? [] : [gameCode])]),
        timeoutMs: operator.walletTimeoutMs,
      });
      const balance = balanceOf(answer, currency);
      const brokenRules = brokenBalanceRules(currency, answer);
      observe({
        operatorId: operator.operatorId,
        purpose: 'balance',
        ...takenFor(answer, balance),
        brokenRules,
      });
      return balance;
    },
    async doGameRoundReport(operator, gameRoundDetail) {
      const { hash } = gameRoundDetail;
      const answer = await http.send({
        tenant: operator.operatorId,
        method: 'POST',
        url: urlOf(operator, 'doGameRoundReport'),
        headers: signed(operator, []),
        body: JSON.stringify({ gameRoundDetail }),
        timeoutMs: operator.walletTimeoutMs,
      });
      const fault = reportFault(answer);
      observe({
        ...{
          operatorId: operator.operatorId,
          purpose: 'report',
          gameround: hash,
          why: fault ?? 'status 200',
        },
        outcome: fault === undefined ? 'accepted' : answer.kind === 'answer' ? 'rejected' : 'unreachable',
        brokenRules: brokenReportRules(answer),
      });
      if (fault !== undefined) throw new Error(fault);
    },
    close: () => http.close(),
  };
}

/** Each transaction's hash, followed by its amount unless that is absent or 0. */
function signedParts({ hash, amount }: OperatorTransaction): string[] {
  return amount ? [hash, String(amount)] : [hash];
}

function signed(operator: OperatorAddress, fields: string[]): Record<string, string> {
  const timestamp = new Date().toISOString();
  const [secret] = operator.secrets;
  if (secret === undefined) throw new TypeError(`operator ${operator.operatorId} has no secret`);
  return {
    'x-h-auth-id': operator.operatorId,
    'x-h-timestamp': timestamp,
    'x-h-auth-sig': signFields(secret, operator.operatorId, timestamp, fields),
  };
}

function urlOf(operator: OperatorAddress, path: string): string {
  return `${operator.operatorUrl.replace(/\/+$/, '')}/${path}`;
}

function balanceOf(answer: HttpAnswer, currency: string): BalanceAnswer {
  if (answer.kind === 'no-response') return { kind: 'unavailable', reason: answer.reason };
  const errorCode = errorIn(answer.body, answer.status);
  if (answer.status >= 400 && answer.status < 500 && answer.status !== 408)
    return { kind: 'rejected', errorCode };
  if (answer.status !== 200) {
    const reason = `status ${answer.status}`;
    return { kind: 'unavailable', reason, ...(errorCode === undefined ? {} : { answered: true }) };
  }
  if (errorCode !== undefined) return { kind: 'rejected', errorCode };
  const balance = readBalance(answer.body, currency);
  return balance === undefined
    ? { kind: 'unavailable', reason: `no balance in ${currency} in the reply`, answered: true }
    : { kind: 'balance', balance };
}

function takenFor(answer: HttpAnswer, balance: BalanceAnswer): Pick<ReplyReport, 'outcome' | 'why'> {
  const status = answer.kind === 'answer' ? `status ${answer.status}` : '';
  switch (balance.kind) {
    case 'balance':
      return { outcome: 'accepted', why: status };
    case 'rejected':
      return {
        outcome: 'rejected',
        why: balance.errorCode === undefined ? status : `${status}, ${describe(balance.errorCode)}`,
      };
    case 'unavailable':
      return { outcome: 'unreachable', why: balance.reason };
  }
}

/** Why a report was not accepted; undefined if it was. */
function reportFault(answer: HttpAnswer): string | undefined {
  if (answer.kind === 'no-response') return `no answer: ${answer.reason}`;
  if (answer.status !== 200) return `status ${answer.status}`;
  // An errorCode on a 200 is an error only together with the header (docs/interface#report-error-header).
  const error = answer.errorId === undefined ? undefined : errorIn(answer.body, answer.status);
  return error && `200 with error ${describe(error)}`;
}
