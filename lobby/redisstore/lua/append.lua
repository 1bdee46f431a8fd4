-- Appends a batch to a room's log, or says why not.
--
-- KEYS  1 log, 2 due, 3 shelf of open games, 4 shelf of live games
-- ARGV  1 room, 2 seq and 3 tag of the cursor before the batch, 4 due and
--       5 expiry and 6 not-after in ms ('' = none), 7 shelf (0, 1 or 2),
--       8 publishing command, 9 channel, 10 message, 11... entries
-- Answer {'ok'}, {'gone'}, {'diverged'} or {'conflict', tail}
local first = 11
local seq = tonumber(ARGV[2])
local n = #ARGV - first + 1

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[6] ~= '' and now > tonumber(ARGV[6]) then
	return {'gone'}
end

local length = redis.call('LLEN', KEYS[1])
if seq > 0 then
	if length == 0 then
		return {'gone'}
	end
	-- The tag, not the length, says whether this is the history that the
	-- caller knew: a lost tail may have grown anew past the cursor.
	local entry = length >= seq and redis.call('LINDEX', KEYS[1], seq - 1)
	if not entry or string.sub(entry, 1, 8) ~= ARGV[3] then
		return {'diverged'}
	end
end
if length > seq then
	local tail = redis.call('LRANGE', KEYS[1], seq, -1)
	local same = #tail >= n
	for i = 1, n do
		if not same then
			break
		end
		same = tail[i] == ARGV[first + i - 1]
	end
	if same then
		return {'ok'} -- a retry of what was applied before
	end
	return {'conflict', tail}
end

for i = first, #ARGV do
	redis.call('RPUSH', KEYS[1], ARGV[i])
end
redis.call('PEXPIREAT', KEYS[1], ARGV[5])
if ARGV[4] == '' then
	redis.call('ZREM', KEYS[2], ARGV[1])
else
	redis.call('ZADD', KEYS[2], ARGV[4], ARGV[1])
end
for shelf = 1, 2 do
	if ARGV[7] == tostring(shelf) then
		redis.call('ZADD', KEYS[2 + shelf], 'NX', now, ARGV[1])
	else
		redis.call('ZREM', KEYS[2 + shelf], ARGV[1])
	end
end
redis.call(ARGV[8], ARGV[9], ARGV[10])
return {'ok'}
