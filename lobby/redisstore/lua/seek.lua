#!lua
-- Puts a player's ticket in, or renews it, and pairs it if another one waits.
--
-- KEYS  1 the player's ticket, 2 the queue of the variant, 3 when the player
--       last cancelled
-- ARGV  1 player, 2 name, 3 variant, 4 room for a pair, 5 lease in ms,
--       6 prefix of tickets, 7 prefix of queues, 8 publishing command, 9 channel,
--       10 when this was asked for, in microseconds
-- Answer a flat list: the fields of the player's ticket as it stands; or
-- {'cancelled', when, now}, in microseconds, if the player has cancelled since
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

local function fields(key)
	local ticket = {}
	local flat = redis.call('HGETALL', key)
	for i = 1, #flat, 2 do
		ticket[flat[i]] = flat[i + 1]
	end
	return ticket
end

local own = fields(KEYS[1])
if own.room then
	return redis.call('HGETALL', KEYS[1])
end

-- A copy of an older call, sent again after a time-out, may arrive after the
-- player has cancelled. It must not pair somebody who has gone.
local cancelled = redis.call('GET', KEYS[3])
if cancelled and tonumber(ARGV[10]) <= tonumber(cancelled) then
	return {'cancelled', cancelled, string.format('%.0f', time[1] * 1000000 + time[2])}
end

local function pair(key, player, other, host)
	redis.call('HSET', key, 'room', ARGV[4], 'opponent', other.player,
		'opponent_name', other.name, 'host', host)
	redis.call('PEXPIRE', key, ARGV[5])
	local message = cjson.encode(fields(key))
	redis.call(ARGV[8], ARGV[9], message)
end

redis.call('HSET', KEYS[1], 'player', ARGV[1], 'name', ARGV[2], 'variant', ARGV[3])
redis.call('PEXPIRE', KEYS[1], ARGV[5])
if own.variant and own.variant ~= ARGV[3] then
	redis.call('ZREM', ARGV[7] .. own.variant, ARGV[1])
end

for _, player in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
	if player ~= ARGV[1] then
		local key = ARGV[6] .. player
		local other = fields(key)
		redis.call('ZREM', KEYS[2], player)
		-- A ticket that has run out, moved to another queue or found its
		-- match only left its place behind.
		if other.variant == ARGV[3] and not other.room then
			redis.call('ZREM', KEYS[2], ARGV[1])
			local me = {player = ARGV[1], name = ARGV[2]}
			pair(KEYS[1], ARGV[1], other, '0')
			pair(key, player, me, '1')
			return redis.call('HGETALL', KEYS[1])
		end
	end
end

redis.call('ZADD', KEYS[2], 'NX', now, ARGV[1])
redis.call('PEXPIRE', KEYS[2], 2 * ARGV[5])
return redis.call('HGETALL', KEYS[1])
