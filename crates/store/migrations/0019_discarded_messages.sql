-- A thing is not missing at a merchant if the only message about it was discarded.
-- From now on, the head is removed together with the message's place in the failure queue.
DELETE FROM message_heads
WHERE merchant_id > '' AND sequence = 1
    AND EXISTS (SELECT 1 FROM discards d
        WHERE d.merchant_id = message_heads.merchant_id
            AND d.message_id = message_heads.message_id);
