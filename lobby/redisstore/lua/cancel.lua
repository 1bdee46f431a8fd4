#!lua flags=allow-oom
-- Takes a ticket out. A paired one stays unless it is dropped by its room.
--
-- KEYS  1 the player's ticket
-- ARGV  1 player, 2 prefix of queues, 3 room to drop ('' = cancel)
-- Answer a flat list: the fields of the ticket that stays; empty if none
local variant, room = unpack(redis.call('HMGET', KEYS[1], 'variant', 'room'))
if not variant then
	return {}
end
if (room or '') ~= ARGV[3] then
	return redis.call('HGETALL', KEYS[1])
end
if not room then
	redis.call('ZREM', ARGV[2] .. variant, ARGV[1])
end
redis.call('DEL', KEYS[1])
return {}
