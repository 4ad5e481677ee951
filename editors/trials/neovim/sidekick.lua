-- sidekick.nvim. Suggestions appear anywhere in the file, in normal mode. Tab moves to the line; Tab again accepts.
local trial = dofile(vim.env.SEGUE_TRIALS .. "/neovim/trial.lua")

local function is_shown()
  return require("sidekick.nes").have()
end

trial.play({
  go = function(suggestion)
    if vim.api.nvim_buf_get_name(0):sub(-#suggestion.path) == suggestion.path then
      return "shown automatically"
    end
    trial.open(suggestion.path)
    trial.press(":Sidekick nes update<CR>")
    return "opened the file, :Sidekick nes update"
  end,
  is_shown = is_shown,
  accept = function(suggestion)
    trial.press_until("<Tab>", is_shown, suggestion)
  end,
  rest = function() end,
})
