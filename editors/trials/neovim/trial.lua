-- Plays one story in Neovim with real keys. $SEGUE_TRIAL_PLAN is the path of a JSON file with the plan; the result is
-- written to `plan.result`. Each client's file defines how suggestions are requested, shown and accepted.
local trial = {}

local DEADLINE_MS = 15000
local POLL_MS = 20
-- Users see the effect of a key before they press it again.
local REPEAT_MS = 300

local plan = vim.json.decode(table.concat(vim.fn.readfile(vim.env.SEGUE_TRIAL_PLAN), "\n"))

-- Waits until `done` returns a truthy value. Must be called in the coroutine of `trial.play`.
function trial.wait(what, done)
  local started = vim.uv.now()
  local result = done()
  while not result do
    if vim.uv.now() - started > DEADLINE_MS then
      error("waited too long for " .. what, 0)
    end
    coroutine.yield()
    result = done()
  end
  return result
end

-- Presses keys in the notation of `:help key-notation`.
function trial.press(keys)
  vim.api.nvim_input(keys)
end

-- Presses a key while a suggestion is shown, until the file has the suggested text. The first press may only move the
-- cursor, and a plugin that repeats the request after a move shows nothing for a moment.
function trial.press_until(key, is_shown, suggestion)
  local pressed = 0
  trial.wait("the accepted text", function()
    if trial.text(suggestion.path) == suggestion.text then
      return true
    end
    if is_shown() and vim.uv.now() - pressed > REPEAT_MS then
      trial.press(key)
      pressed = vim.uv.now()
    end
  end)
end

function trial.text(path)
  local buffer = vim.fn.bufnr(vim.fn.fnamemodify(path, ":p"))
  return table.concat(vim.api.nvim_buf_get_lines(buffer, 0, -1, false), "\n") .. "\n"
end

function trial.open(path)
  local full = vim.fn.fnamemodify(path, ":p")
  if vim.api.nvim_buf_get_name(0) == full then
    return
  end
  trial.press("<Esc>:edit " .. path .. "<CR>")
  trial.wait(path .. " to open", function()
    return vim.api.nvim_buf_get_name(0) == full and vim.api.nvim_get_mode().mode == "n"
  end)
  trial.wait("the server to attach to " .. path, function()
    local client = vim.lsp.get_clients({ bufnr = 0 })[1]
    return client and client.initialized and client.attached_buffers[vim.api.nvim_get_current_buf()]
  end)
end

-- Returns the number of suggestions in the last response, or nil if the last change has no response yet.
function trial.answer()
  if vim.fn.filereadable(plan.log) == 0 then
    return nil
  end
  local lines = vim.fn.readfile(plan.log)
  local last = #lines > 0 and vim.json.decode(lines[#lines]) or {}
  return last.found
end

-- Types an edit in normal mode, and returns to normal mode.
local function edit(step)
  trial.open(step.path)
  local line = vim.api.nvim_buf_get_lines(0, step.line - 1, step.line, false)[1]
  local start = step.column >= vim.fn.strchars(line) and "A" or "i"
  local move = step.line .. "G0" .. (step.column > 0 and start == "i" and step.column .. "l" or "")
  local begin = step.remove > 0 and step.remove .. "s" or start
  local typed = step.insert:gsub("<", "<lt>"):gsub("\n", "<CR>")
  trial.press("<Esc>" .. move .. begin .. typed .. "<Esc>")
  trial.wait("the edit of " .. step.path, function()
    return trial.text(step.path) == step.text and vim.api.nvim_get_mode().mode == "n"
  end)
end

local function story(client)
  for _, file in ipairs(plan.files) do
    trial.open(file.path)
  end
  for _, step in ipairs(plan.edits) do
    edit(step)
  end
  local ways = {}
  for _, suggestion in ipairs(plan.suggestions) do
    table.insert(ways, client.go(suggestion))
    trial.wait("a suggestion for line " .. suggestion.line .. " of " .. suggestion.path, client.is_shown)
    client.accept(suggestion)
    trial.wait("the accepted text", function()
      return trial.text(suggestion.path) == suggestion.text
    end)
  end
  if #plan.suggestions == 0 then
    client.rest()
    local found = trial.wait("the response to the last request", trial.answer)
    assert(found == 0, "the server suggested something")
    assert(not client.is_shown(), "a suggestion is shown")
  end
  return ways
end

function trial.play(client)
  local result = {}
  local run = coroutine.create(function()
    local ok, outcome = xpcall(story, debug.traceback, client)
    result.ways = ok and outcome or nil
    result.error = not ok and outcome or nil
  end)
  local function step()
    coroutine.resume(run)
    if coroutine.status(run) ~= "dead" then
      vim.defer_fn(step, POLL_MS)
      return
    end
    result.after = vim.empty_dict()
    for _, file in ipairs(plan.files) do
      result.after[file.path] = trial.text(file.path)
    end
    vim.fn.writefile({ vim.json.encode(result) }, plan.result)
    vim.cmd("qall!")
  end
  vim.schedule(step)
end

return trial
