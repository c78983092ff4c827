export interface Transaction {
  type: 'debit' | 'credit' | 'end' | 'void';
  isFirstDebit?: boolean;
  currency: string;
  hash: string;
  amount?: number;
  timestamp: string;
  reason: string;
  serial?: string;
}
