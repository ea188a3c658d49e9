SET 'table.exec.source.idle-timeout' = '5 s';

SELECT o.id, c.name FROM orders AS o
JOIN customers FOR SYSTEM_TIME AS OF o.order_time AS c -- expect: temporal-join-without-primary-key
ON o.customer = c.id;
