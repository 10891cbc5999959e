-- Withdrawals by their number alone, for the search of the console.
CREATE INDEX withdrawals_by_id ON withdrawals (withdrawal_id, merchant_id);
