-- How the mails of merchants are sent, with sealed credentials; which returns a reminder is due
-- for; the problems that people were notified of, until they end; and codes that are mailed.

CREATE TABLE mail_settings (
    merchant_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id)
) CLUSTERED;

CREATE TABLE mail_reminders (
    merchant_id TEXT NOT NULL,
    rma_id TEXT NOT NULL,
    due_us BIGINT NOT NULL,
    PRIMARY KEY (merchant_id, rma_id)
) CLUSTERED;
-- The next reminders of all merchants.
CREATE INDEX mail_reminders_by_due ON mail_reminders (due_us);

CREATE TABLE alerts (
    merchant_id TEXT NOT NULL,
    problem TEXT NOT NULL,
    since_us BIGINT NOT NULL,
    detail TEXT NOT NULL,
    PRIMARY KEY (merchant_id, problem)
) CLUSTERED;

-- The codes that were sent to prove an e-mail address, and the attempts to enter them, while they
-- count.
CREATE TABLE order_proofs (
    merchant_id TEXT NOT NULL,
    order_id TEXT NOT NULL,
    version BIGINT NOT NULL,
    changed_us BIGINT NOT NULL,
    body TEXT NOT NULL,
    PRIMARY KEY (merchant_id, order_id)
) CLUSTERED;
CREATE INDEX order_proofs_by_time ON order_proofs (changed_us);
