-- sidekick.nvim: shown anywhere in the file, in normal mode. Tab goes there, Tab again accepts.
local trial = dofile(vim.env.SEGUE_TRIALS .. "/neovim/trial.lua")

trial.play({
  go = function(suggestion)
    if vim.api.nvim_buf_get_name(0):sub(-#suggestion.path) == suggestion.path then
      return "shown by itself"
    end
    trial.open(suggestion.path)
    trial.press(":Sidekick nes update<CR>")
    return "opened the file, :Sidekick nes update"
  end,
  is_shown = function()
    return require("sidekick.nes").have()
  end,
  accept = function(suggestion)
    local cursor = vim.api.nvim_win_get_cursor(0)
    trial.press("<Tab>")
    trial.wait("Tab to act", function()
      local now = vim.api.nvim_win_get_cursor(0)
      return trial.text(suggestion.path) == suggestion.text or now[1] ~= cursor[1] or now[2] ~= cursor[2]
    end)
    if trial.text(suggestion.path) ~= suggestion.text then
      trial.press("<Tab>")
    end
  end,
  rest = function() end,
})
