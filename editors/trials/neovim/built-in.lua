-- Neovim's built-in inline completion. Suggestions appear on the cursor's line, in insert mode.
local trial = dofile(vim.env.SEGUE_TRIALS .. "/neovim/trial.lua")

trial.play({
  go = function(suggestion)
    local way = vim.api.nvim_buf_get_name(0):sub(-#suggestion.path) ~= suggestion.path and "opened the file, on its line"
      or "on its line"
    trial.open(suggestion.path)
    trial.press("<Esc>" .. suggestion.line .. "GI")
    return way
  end,
  is_shown = function()
    local namespace = vim.api.nvim_get_namespaces()["nvim.lsp.inline_completion"]
    return namespace and #vim.api.nvim_buf_get_extmarks(0, namespace, 0, -1, {}) > 0
  end,
  accept = function()
    trial.press("<Tab>")
  end,
  rest = function()
    trial.press("A")
  end,
})
