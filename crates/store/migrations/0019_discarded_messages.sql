-- A thing is not missing at a merchant if the only message about it was never delivered and was
-- discarded. From now on, the head is removed together with the message's place in the failure
-- queue. The first attempt of a message that was delivered at once is packed.
DELETE FROM message_heads
WHERE merchant_id > '' AND sequence = 1
    AND EXISTS (SELECT 1 FROM discards d
        WHERE d.merchant_id = message_heads.merchant_id
            AND d.message_id = message_heads.message_id)
    AND EXISTS (SELECT 1 FROM attempts a
        WHERE a.merchant_id = message_heads.merchant_id
            AND a.message_id = message_heads.message_id AND a.cycle = 1)
    AND NOT EXISTS (SELECT 1 FROM attempts a
        WHERE a.merchant_id = message_heads.merchant_id
            AND a.message_id = message_heads.message_id
            AND a.status >= 200 AND a.status < 300);
