#!lua
-- Appends a batch to a room's log, or says why not.
--
-- KEYS  1 log, 2 due, 3 shelf of open games, 4 shelf of live games
-- ARGV  1 room, 2 seq and 3 tag of the cursor before the batch, 4 due, 5 expiry
--       and 6 not-after in ms ('' = none), 7 shelf (0 none, 1 open, 2 live),
--       8 publishing command, 9 channel, 10 message, 11... entries
-- Answer 'ok', 'gone', 'diverged', or the tail: a list of entries
local first = 11
local none = string.rep('\0', 8) -- the tag of the empty log
local room, seq = ARGV[1], tonumber(ARGV[2])

local time = redis.call('TIME')
local late = ARGV[6] ~= '' and time[1] * 1000 + math.floor(time[2] / 1000) > tonumber(ARGV[6])

local length = redis.call('LLEN', KEYS[1])
if length == 0 then
	if seq > 0 or ARGV[3] ~= none or late then
		return 'gone'
	end
else
	-- The tag, not the length, says whether this is the history that the
	-- caller knows: a lost tail may have grown anew past the cursor.
	local tag = none
	if seq > 0 then
		local entry = redis.call('LINDEX', KEYS[1], seq - 1)
		tag = entry and string.sub(entry, 1, 8)
	end
	if tag ~= ARGV[3] then
		return 'diverged'
	end
	if length > seq then
		local tail = redis.call('LRANGE', KEYS[1], seq, -1)
		for i = first, #ARGV do
			if tail[i - first + 1] ~= ARGV[i] then
				return tail
			end
		end
		return 'ok' -- a retry of what was applied before
	end
	if late then
		return 'gone'
	end
end

-- list puts the room on a list. The list expires with its last room.
local function list(key, score, mode)
	local added = redis.call('ZADD', key, mode, score, room)
	if redis.call('PEXPIREAT', key, ARGV[5], 'GT') == 0 and added == 1 then
		redis.call('PEXPIREAT', key, ARGV[5], 'NX')
	end
end

-- The log comes last: if one of the lists is not what it should be, nothing
-- has been appended.
if ARGV[4] == '' then
	redis.call('ZREM', KEYS[2], room)
else
	list(KEYS[2], ARGV[4], 'CH')
end
for shelf = 1, 2 do
	if tonumber(ARGV[7]) ~= shelf then
		redis.call('ZREM', KEYS[2 + shelf], room)
	elseif length == 0 then -- whatever a room of that name has left behind
		list(KEYS[2 + shelf], time[1] * 1000000 + time[2], 'CH')
	else
		list(KEYS[2 + shelf], time[1] * 1000000 + time[2], 'NX')
	end
end
for i = first, #ARGV do
	redis.call('RPUSH', KEYS[1], ARGV[i])
end
redis.call('PEXPIREAT', KEYS[1], ARGV[5])
redis.call(ARGV[8], ARGV[9], ARGV[10])
return 'ok'
