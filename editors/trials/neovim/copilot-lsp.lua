-- copilot-lsp: shown anywhere in the file after a change. Tab goes to its line, Tab again accepts.
local trial = dofile(vim.env.SEGUE_TRIALS .. "/neovim/trial.lua")

trial.play({
  go = function(suggestion)
    if vim.api.nvim_buf_get_name(0):sub(-#suggestion.path) == suggestion.path then
      return "shown by itself"
    end
    trial.open(suggestion.path)
    trial.press(':lua require("copilot-lsp.nes").request_nes("copilot_ls")<CR>')
    return "opened the file, request_nes()"
  end,
  is_shown = function()
    return vim.b.nes_state ~= nil
  end,
  accept = function(suggestion)
    local line = vim.api.nvim_win_get_cursor(0)[1]
    trial.press("<Tab>")
    trial.wait("Tab to act", function()
      return trial.text(suggestion.path) == suggestion.text or vim.api.nvim_win_get_cursor(0)[1] ~= line
    end)
    if trial.text(suggestion.path) ~= suggestion.text then
      trial.press("<Tab>")
    end
  end,
  rest = function() end,
})
