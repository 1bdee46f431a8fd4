#!lua flags=allow-oom
-- Takes a ticket out. A paired one stays unless it is dropped by its room.
--
-- KEYS  1 the player's ticket, 2 when the player last cancelled
-- ARGV  1 player, 2 prefix of queues, 3 room to drop ('' = cancel),
--       4 how long to remember it as a cancellation, in ms; 0: not at all
-- Answer a flat list: the fields of the ticket that stays; empty if none
if tonumber(ARGV[4]) > 0 then
	local time = redis.call('TIME')
	redis.call('SET', KEYS[2], string.format('%.0f', time[1] * 1000000 + time[2]), 'PX', ARGV[4])
end
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
