#!lua
-- Lists the rooms of a shelf, the newest first. A room that no longer exists
-- is taken off every list.
--
-- KEYS  1 the shelf, 2... the other lists
-- ARGV  1 prefix of the logs' names, 2 limit
-- Answer a flat list of room, place
local limit = tonumber(ARGV[2])
local listed = {}
while #listed < 2 * limit do
	local from = #listed / 2
	local page = redis.call('ZREVRANGE', KEYS[1], from, limit - 1, 'WITHSCORES')
	if #page == 0 then
		break
	end
	for i = 1, #page, 2 do
		if redis.call('EXISTS', ARGV[1] .. page[i]) == 1 then
			listed[#listed + 1] = page[i]
			listed[#listed + 1] = page[i + 1]
		else
			for k = 1, #KEYS do
				redis.call('ZREM', KEYS[k], page[i])
			end
		end
	end
end
return listed
