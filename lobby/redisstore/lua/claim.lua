#!lua
-- Claims rooms that are due: moves them on by the lease and returns them. A
-- room that no longer exists is taken off every list.
--
-- KEYS  1 due, 2 shelf of open games, 3 shelf of live games
-- ARGV  1 prefix of the logs' names, 2 lease in ms, 3 limit
-- Answer a flat list of room, due time
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local left = tonumber(ARGV[3])
local claimed = {}
while left > 0 do
	local due = redis.call('ZRANGEBYSCORE', KEYS[1], '-inf', now, 'WITHSCORES', 'LIMIT', 0, left)
	if #due == 0 then
		break
	end
	for i = 1, #due, 2 do
		local room = due[i]
		if redis.call('EXISTS', ARGV[1] .. room) == 1 then
			redis.call('ZADD', KEYS[1], now + ARGV[2], room)
			claimed[#claimed + 1] = room
			claimed[#claimed + 1] = due[i + 1]
			left = left - 1
		else
			for k = 1, #KEYS do
				redis.call('ZREM', KEYS[k], room)
			end
		end
	end
end
return claimed
