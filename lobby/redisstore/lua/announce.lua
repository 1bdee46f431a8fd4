#!lua
-- Says who watches a room through a node, and tells the other nodes if that
-- differs from what the node said before.
--
-- KEYS  1 presence
-- ARGV  1 node, 2 attendance ('' = nobody any more), 3 lease in ms,
--       4 publishing command, 5 channel, 6 message
-- Answer 'ok'
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local lasts = 0 -- until when something is said here
local before = ''
local all = redis.call('HGETALL', KEYS[1])
for i = 1, #all, 2 do
	local node = all[i]
	local ends, attendance = string.match(all[i + 1], '^(%d+):(.*)$')
	ends = tonumber(ends or 0)
	if node == ARGV[1] then
		before = ends >= now and attendance or ''
	elseif ends < now then
		redis.call('HDEL', KEYS[1], node)
	elseif ends > lasts then
		lasts = ends
	end
end

if ARGV[2] == '' then
	redis.call('HDEL', KEYS[1], ARGV[1])
else
	local ends = now + ARGV[3]
	redis.call('HSET', KEYS[1], ARGV[1], string.format('%.0f:', ends) .. ARGV[2])
	lasts = math.max(lasts, ends)
end
if lasts > 0 then
	redis.call('PEXPIREAT', KEYS[1], lasts)
end
if before ~= ARGV[2] then
	redis.call(ARGV[4], ARGV[5], ARGV[6])
end
return 'ok'
