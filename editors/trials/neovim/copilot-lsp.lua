-- copilot-lsp. Suggestions appear anywhere in the file after a change. Tab moves to the line; Tab again accepts.
local trial = dofile(vim.env.SEGUE_TRIALS .. "/neovim/trial.lua")

local function is_shown()
  return vim.b.nes_state ~= nil
end

trial.play({
  go = function(suggestion)
    if vim.api.nvim_buf_get_name(0):sub(-#suggestion.path) == suggestion.path then
      return "shown automatically"
    end
    trial.open(suggestion.path)
    trial.press(':lua require("copilot-lsp.nes").request_nes("copilot_ls")<CR>')
    return "opened the file, request_nes()"
  end,
  is_shown = is_shown,
  accept = function(suggestion)
    trial.press_until("<Tab>", is_shown, suggestion)
  end,
  rest = function() end,
})
