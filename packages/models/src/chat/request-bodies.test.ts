import { describe, expect, it } from "vitest";
import type { ModelSettings } from "../settings.js";
import type { ChatMessage, ChatRequest, OutputLimits } from "./messages.js";
import { writeChatRequest } from "./request.js";

// Recorded from the clients that Segue used previously: @ai-sdk/anthropic 3.0.135 and @ai-sdk/openai-compatible 2.0.87.
// Any difference changes what providers receive.

const HI: ChatMessage = { role: "user", parts: [{ type: "text", text: "Hi" }] };

const CONVERSATIONS: readonly [title: string, request: Partial<ChatRequest>, openai: string, anthropic: string][] = [
	[
		"a question",
		{},
		'{"model":"small","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"no system prompt",
		{ system: "" },
		'{"model":"small","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"no message",
		{ messages: [] },
		'{"model":"small","messages":[],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[],"stream":true}',
	],
	[
		"an empty request",
		{ messages: [], system: "" },
		'{"model":"small","messages":[],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[],"stream":true}',
	],
	[
		"empty messages",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: " " }] },
				{ role: "user", parts: [] },
				{ role: "assistant", parts: [{ type: "text", text: "\n" }] },
				{ role: "tool", results: [] },
			],
		},
		'{"model":"small","messages":[],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[],"stream":true}',
	],
	[
		"two texts",
		{
			messages: [
				{
					role: "user",
					parts: [
						{ type: "text", text: "Look:" },
						{ type: "text", text: "Hi\n" },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":[{"type":"text","text":"Look:"},{"type":"text","text":"Hi\\n"}]}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Look:"},{"type":"text","text":"Hi\\n","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"text and an image",
		{
			messages: [
				{
					role: "user",
					parts: [
						{ type: "text", text: "See" },
						{ type: "image", mediaType: "image/png", base64: "aGk=" },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"data:image/png;base64,aGk="}}]}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"See"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="},"cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"an image",
		{ messages: [{ role: "user", parts: [{ type: "image", mediaType: "image/jpeg", base64: "aGk=" }] }] },
		'{"model":"small","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,aGk="}}]}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"aGk="},"cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"an image of any type",
		{
			messages: [
				{
					role: "user",
					parts: [
						{ type: "image", mediaType: "image/*", base64: "aGk=" },
						{ type: "text", text: "?" },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":[{"type":"image_url","image_url":{"url":"data:image/jpeg;base64,aGk="}},{"type":"text","text":"?"}]}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"image","source":{"type":"base64","media_type":"image/jpeg","data":"aGk="}},{"type":"text","text":"?","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"two questions",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{ role: "user", parts: [{ type: "text", text: "Are you there?" }] },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"user","content":"Are you there?"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"},{"type":"text","text":"Are you there?","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"an answer",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{ role: "assistant", parts: [{ type: "text", text: " Hello. " }] },
				{ role: "user", parts: [{ type: "text", text: "Bye" }] },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":" Hello. "},{"role":"user","content":"Bye"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":" Hello. "}]},{"role":"user","content":[{"type":"text","text":"Bye","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"an answer to continue",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "text", text: "One" },
						{ type: "text", text: " two \n" },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"One two \\n"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"One"},{"type":"text","text":"two","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"two answers",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{ role: "assistant", parts: [{ type: "text", text: "One " }] },
				{ role: "assistant", parts: [{ type: "text", text: " two " }] },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"One "},{"role":"assistant","content":" two "}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"One "},{"type":"text","text":"two","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"tools",
		{
			tools: [
				{ name: "f", description: "Does f.", schema: { type: "object", properties: { a: { type: "number" } } } },
				{ name: "g", description: "", schema: { type: "object", additionalProperties: false } },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"}],"tools":[{"type":"function","function":{"name":"f","description":"Does f.","parameters":{"type":"object","properties":{"a":{"type":"number"}}}}},{"type":"function","function":{"name":"g","description":"","parameters":{"type":"object","additionalProperties":false}}}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"f","description":"Does f.","input_schema":{"type":"object","properties":{"a":{"type":"number"}}}},{"name":"g","description":"","input_schema":{"type":"object","additionalProperties":false}}],"stream":true}',
	],
	[
		"a call",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{ role: "assistant", parts: [{ type: "call", id: "c1", tool: "f", input: '{"a": 1}' }] },
				{ role: "tool", results: [{ id: "c1", tool: "f", output: "ok", failed: false }] },
			],
			tools: [{ name: "f", description: "Does f.", schema: { type: "object", properties: { a: { type: "number" } } } }],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"}],"tools":[{"type":"function","function":{"name":"f","description":"Does f.","parameters":{"type":"object","properties":{"a":{"type":"number"}}}}}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"f","description":"Does f.","input_schema":{"type":"object","properties":{"a":{"type":"number"}}}}],"stream":true}',
	],
	[
		"calls between text parts",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "text", text: "First " },
						{ type: "call", id: "c1", tool: "f", input: '{"a": 1}' },
						{ type: "text", text: "then " },
						{ type: "call", id: "c2", tool: "g", input: "{}" },
					],
				},
				{
					role: "tool",
					results: [
						{ id: "c2", tool: "g", output: "", failed: false },
						{ id: "c1", tool: "f", output: "no", failed: true },
					],
				},
				{ role: "user", parts: [{ type: "text", text: "Go on" }] },
			],
			tools: [
				{ name: "f", description: "Does f.", schema: { type: "object", properties: { a: { type: "number" } } } },
				{ name: "g", description: "", schema: { type: "object", additionalProperties: false } },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"First then ","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}},{"id":"c2","type":"function","function":{"name":"g","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c1","content":"no"},{"role":"tool","tool_call_id":"c2","content":""},{"role":"user","content":"Go on"}],"tools":[{"type":"function","function":{"name":"f","description":"Does f.","parameters":{"type":"object","properties":{"a":{"type":"number"}}}}},{"type":"function","function":{"name":"g","description":"","parameters":{"type":"object","additionalProperties":false}}}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"First "},{"type":"text","text":"then "},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}},{"type":"tool_use","id":"c2","name":"g","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"no","is_error":true},{"type":"tool_result","tool_use_id":"c2","content":""},{"type":"text","text":"Go on","cache_control":{"type":"ephemeral"}}]}],"tools":[{"name":"f","description":"Does f.","input_schema":{"type":"object","properties":{"a":{"type":"number"}}}},{"name":"g","description":"","input_schema":{"type":"object","additionalProperties":false}}],"stream":true}',
	],
	[
		"results in two messages",
		{
			messages: [
				{
					role: "assistant",
					parts: [
						{ type: "call", id: "c1", tool: "f", input: '{"a": 1}' },
						{ type: "call", id: "c2", tool: "f", input: '{"a": 1}' },
					],
				},
				{ role: "tool", results: [{ id: "c1", tool: "f", output: "ok", failed: false }] },
				{ role: "tool", results: [{ id: "c2", tool: "f", output: '{"b":[1,2]}', failed: false }] },
				{ role: "assistant", parts: [{ type: "text", text: "Done" }] },
			],
		},
		'{"model":"small","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"ok"},{"role":"tool","tool_call_id":"c2","content":"{\\"b\\":[1,2]}"},{"role":"assistant","content":"Done"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"a":1}},{"type":"tool_use","id":"c2","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"},{"type":"tool_result","tool_use_id":"c2","content":"{\\"b\\":[1,2]}"}]},{"role":"assistant","content":[{"type":"text","text":"Done","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"a call without a result",
		{
			messages: [
				{ role: "assistant", parts: [{ type: "call", id: "c1", tool: "f", input: '{"a": 1}' }] },
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
			],
		},
		'{"model":"small","messages":[{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"This call was interrupted. It may or may not have completed."},{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"This call was interrupted. It may or may not have completed.","is_error":true},{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"a call at the end",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "text", text: "Now " },
						{ type: "call", id: "c1", tool: "f", input: '{"a": 1}' },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Now ","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"This call was interrupted. It may or may not have completed."}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"Now "},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"This call was interrupted. It may or may not have completed.","is_error":true,"cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"a result without a call",
		{
			messages: [
				{ role: "tool", results: [{ id: "c9", tool: "f", output: "ok", failed: false }] },
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"inputs that are not objects",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "call", id: "c1", tool: "f", input: '{"a": oops' },
						{ type: "call", id: "c2", tool: "f", input: "[1]" },
						{ type: "call", id: "c3", tool: "f", input: "null" },
						{ type: "call", id: "c4", tool: "f", input: "" },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"input\\":\\"{\\\\\\"a\\\\\\": oops\\"}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\\"input\\":\\"[1]\\"}"}},{"id":"c3","type":"function","function":{"name":"f","arguments":"{\\"input\\":\\"null\\"}"}},{"id":"c4","type":"function","function":{"name":"f","arguments":"{\\"input\\":\\"\\"}"}}]},{"role":"tool","tool_call_id":"c1","content":"This call was interrupted. It may or may not have completed."},{"role":"tool","tool_call_id":"c2","content":"This call was interrupted. It may or may not have completed."},{"role":"tool","tool_call_id":"c3","content":"This call was interrupted. It may or may not have completed."},{"role":"tool","tool_call_id":"c4","content":"This call was interrupted. It may or may not have completed."}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":{"input":"{\\"a\\": oops"}},{"type":"tool_use","id":"c2","name":"f","input":{"input":"[1]"}},{"type":"tool_use","id":"c3","name":"f","input":{"input":"null"}},{"type":"tool_use","id":"c4","name":"f","input":{"input":""}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"This call was interrupted. It may or may not have completed.","is_error":true},{"type":"tool_result","tool_use_id":"c2","content":"This call was interrupted. It may or may not have completed.","is_error":true},{"type":"tool_result","tool_use_id":"c3","content":"This call was interrupted. It may or may not have completed.","is_error":true},{"type":"tool_result","tool_use_id":"c4","content":"This call was interrupted. It may or may not have completed.","is_error":true,"cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"thoughts from this turn",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "thought", text: "A", signature: "anthropic:sig:1" },
						{ type: "thought", text: "", signature: "anthropic-redacted:xyz" },
						{ type: "thought", text: "B", signature: "field:reasoning" },
						{ type: "thought", text: "B2", signature: "field:reasoning" },
						{ type: "thought", text: "C", signature: "field:reasoning_content" },
						{ type: "thought", text: "D", signature: undefined },
						{ type: "text", text: "Hm" },
						{ type: "call", id: "c1", tool: "f", input: '{"a": 1}' },
					],
				},
				{ role: "tool", results: [{ id: "c1", tool: "f", output: "ok", failed: false }] },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hm","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}],"reasoning":"BB2","reasoning_content":"C"},{"role":"tool","tool_call_id":"c1","content":"ok"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"A","signature":"sig:1"},{"type":"redacted_thinking","data":"xyz"},{"type":"text","text":"Hm"},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"thoughts between calls",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "call", id: "c1", tool: "f", input: '{"a": 1}' },
						{ type: "text", text: "One" },
						{ type: "thought", text: "A", signature: "anthropic:s" },
						{ type: "call", id: "c2", tool: "f", input: '{"a": 1}' },
						{ type: "text", text: "Two" },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"OneTwo","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}},{"id":"c2","type":"function","function":{"name":"f","arguments":"{\\"a\\":1}"}}]},{"role":"tool","tool_call_id":"c1","content":"This call was interrupted. It may or may not have completed."},{"role":"tool","tool_call_id":"c2","content":"This call was interrupted. It may or may not have completed."}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"One"},{"type":"tool_use","id":"c1","name":"f","input":{"a":1}},{"type":"thinking","thinking":"A","signature":"s"},{"type":"text","text":"Two"},{"type":"tool_use","id":"c2","name":"f","input":{"a":1}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"This call was interrupted. It may or may not have completed.","is_error":true},{"type":"tool_result","tool_use_id":"c2","content":"This call was interrupted. It may or may not have completed.","is_error":true,"cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"thoughts from an earlier turn",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "thought", text: "A", signature: "anthropic:sig" },
						{ type: "thought", text: "B", signature: "field:reasoning_content" },
						{ type: "text", text: "Hm" },
					],
				},
				{ role: "user", parts: [{ type: "text", text: "Bye" }] },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hm"},{"role":"user","content":"Bye"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"A","signature":"sig"},{"type":"text","text":"Hm"}]},{"role":"user","content":[{"type":"text","text":"Bye","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
	[
		"thoughts alone",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{ role: "assistant", parts: [{ type: "thought", text: "A", signature: "anthropic:sig" }] },
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"thinking","thinking":"A","signature":"sig"}]}],"stream":true}',
	],
	[
		"thoughts after text",
		{
			messages: [
				{ role: "user", parts: [{ type: "text", text: "Hi" }] },
				{
					role: "assistant",
					parts: [
						{ type: "text", text: "Hm " },
						{ type: "thought", text: "A", signature: "anthropic:sig" },
					],
				},
			],
		},
		'{"model":"small","messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":"Hm "}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"messages":[{"role":"user","content":[{"type":"text","text":"Hi"}]},{"role":"assistant","content":[{"type":"text","text":"Hm "},{"type":"thinking","thinking":"A","signature":"sig"}]}],"stream":true}',
	],
	[
		"special characters",
		{
			system: '“System” \u2028 \\ "',
			messages: [{ role: "user", parts: [{ type: "text", text: "\u0000é😀\ud800" }] }],
		},
		'{"model":"small","messages":[{"role":"system","content":"“System” \u2028 \\\\ \\""},{"role":"user","content":"\\u0000é😀\\ud800"}],"stream":true,"stream_options":{"include_usage":true}}',
		'{"model":"small","max_tokens":32000,"system":[{"type":"text","text":"“System” \u2028 \\\\ \\"","cache_control":{"type":"ephemeral"}}],"messages":[{"role":"user","content":[{"type":"text","text":"\\u0000é😀\\ud800","cache_control":{"type":"ephemeral"}}]}],"stream":true}',
	],
];

const LIMITS: readonly [effort: ChatRequest["effort"], limits: OutputLimits | undefined][] = [
	[undefined, undefined],
	[undefined, { tokensMax: 256, temperature: 0 }],
	[undefined, { tokensMax: 70_000, temperature: 1.5 }],
	["medium", undefined],
	["medium", { tokensMax: 256, temperature: 0 }],
];

/** For each model: the beta header for a request with tools, and the rest of the body for each entry in `LIMITS`. */
const MODELS: readonly [model: string, beta: string | undefined, bodies: readonly string[]][] = [
	[
		"claude-3-haiku-20240307",
		undefined,
		[
			'{"max_tokens":4096}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":4096,"temperature":1}',
			'{"max_tokens":4096,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-3-5-sonnet-latest",
		undefined,
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-3-7-sonnet-20250219",
		undefined,
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-instant-1.2",
		undefined,
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-2.1",
		undefined,
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-4-20250514",
		undefined,
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":32000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-sonnet-4-20250514",
		undefined,
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":64000,"temperature":1}',
			'{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-sonnet-4",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-4-1",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":32000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-sonnet-4-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":64000,"temperature":1}',
			'{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-4-5-20251101",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":64000,"temperature":1}',
			'{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-haiku-4-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":64000,"temperature":1}',
			'{"max_tokens":40192,"thinking":{"type":"enabled","budget_tokens":8192}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-sonnet-4-6",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-4-6",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-4-7",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-4-8",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-sonnet-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-haiku-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-fable-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-fable-5-1",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-sonnet-5-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-opus-5-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-haiku-5-5",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"claude-next",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256}',
			'{"max_tokens":70000}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"anthropic/claude-opus-4-6",
		"structured-outputs-2025-11-13",
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
	[
		"small",
		undefined,
		[
			'{"max_tokens":32000}',
			'{"max_tokens":256,"temperature":0}',
			'{"max_tokens":70000,"temperature":1}',
			'{"max_tokens":32000,"thinking":{"type":"adaptive","display":"summarized"},"output_config":{"effort":"medium"}}',
			'{"max_tokens":2304,"temperature":0,"output_config":{"effort":"medium"}}',
		],
	],
];

const OPENAI: readonly string[] = [
	'{"model":"small","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
	'{"model":"small","max_tokens":256,"temperature":0,"messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
	'{"model":"small","max_tokens":70000,"temperature":1.5,"messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
	'{"model":"small","reasoning_effort":"medium","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
	'{"model":"small","max_tokens":2304,"temperature":0,"reasoning_effort":"medium","messages":[{"role":"user","content":"Hi"}],"stream":true,"stream_options":{"include_usage":true}}',
];

const ADDRESSES: readonly [ModelSettings["type"], Partial<ModelSettings>, url: string, headers: object][] = [
	[
		"anthropic",
		{ baseUrl: undefined },
		"https://api.anthropic.com/v1/messages",
		{ "anthropic-version": "2023-06-01", "content-type": "application/json", "x-api-key": "key", "x-own": "1" },
	],
	[
		"openai-compatible",
		{ baseUrl: undefined },
		"https://api.openai.com/v1/chat/completions",
		{ authorization: "Bearer key", "content-type": "application/json", "x-own": "1" },
	],
	[
		"anthropic",
		{ baseUrl: "https://api.anthropic.com" },
		"https://api.anthropic.com/v1/messages",
		{ "anthropic-version": "2023-06-01", "content-type": "application/json", "x-api-key": "key", "x-own": "1" },
	],
	[
		"anthropic",
		{ baseUrl: "https://api.anthropic.com/" },
		"https://api.anthropic.com/v1/messages",
		{ "anthropic-version": "2023-06-01", "content-type": "application/json", "x-api-key": "key", "x-own": "1" },
	],
	[
		"openai-compatible",
		{ baseUrl: "http://localhost:1234" },
		"http://localhost:1234/chat/completions",
		{ authorization: "Bearer key", "content-type": "application/json", "x-own": "1" },
	],
	[
		"anthropic",
		{ baseUrl: "https://proxy.example/anthropic/v1" },
		"https://proxy.example/anthropic/v1/messages",
		{ "anthropic-version": "2023-06-01", "content-type": "application/json", "x-api-key": "key", "x-own": "1" },
	],
	[
		"openai-compatible",
		{ baseUrl: "https://Proxy.example/a b" },
		"https://proxy.example/a%20b/chat/completions",
		{ authorization: "Bearer key", "content-type": "application/json", "x-own": "1" },
	],
	[
		"anthropic",
		{ apiKey: undefined },
		"http://127.0.0.1:1/v1/messages",
		{ "anthropic-version": "2023-06-01", "content-type": "application/json", "x-own": "1" },
	],
	[
		"openai-compatible",
		{ apiKey: undefined },
		"http://127.0.0.1:1/v1/chat/completions",
		{ "content-type": "application/json", "x-own": "1" },
	],
	[
		"anthropic",
		{ headers: { "X-Api-Key": "other", "Anthropic-Beta": "One,two", "x-empty": "" }, model: "claude-opus-4-6" },
		"http://127.0.0.1:1/v1/messages",
		{
			"anthropic-beta": "structured-outputs-2025-11-13,one,two",
			"anthropic-version": "2023-06-01",
			"content-type": "application/json",
			"x-api-key": "other",
		},
	],
	[
		"anthropic",
		{ headers: { "anthropic-version": "2024-01-01", authorization: "Bearer x" }, apiKey: undefined },
		"http://127.0.0.1:1/v1/messages",
		{ "anthropic-version": "2024-01-01", authorization: "Bearer x", "content-type": "application/json" },
	],
	[
		"openai-compatible",
		{ headers: { Authorization: "Basic x", "user-agent": "mine" } },
		"http://127.0.0.1:1/v1/chat/completions",
		{ authorization: "Basic x", "content-type": "application/json" },
	],
];

describe("A chat request", () => {
	it.each(CONVERSATIONS)("has the recorded body for %s", (_, request, openai, anthropic) => {
		expect(write("openai-compatible", request).body).toBe(openai);
		expect(write("anthropic", request).body).toBe(anthropic);
	});

	it.each(MODELS)("to %s has the recorded limits", (model, beta, bodies) => {
		const tools = [{ name: "f", description: "", schema: {} }];
		for (const [i, [effort, limits]] of LIMITS.entries()) {
			const { body, headers } = write("anthropic", { effort, tools }, { model }, limits);
			const { model: name, messages, tools: sent, stream, ...rest } = JSON.parse(body);
			expect({ name, messages, sent, stream }).toMatchObject({ name: model, sent: [{ name: "f" }], stream: true });
			expect(JSON.stringify(rest)).toBe(bodies[i]);
			expect(headers["anthropic-beta"]).toBe(beta);
		}
	});

	it("to an OpenAI-compatible server has the recorded limits", () => {
		expect(LIMITS.map(([effort, limits]) => write("openai-compatible", { effort }, {}, limits).body)).toEqual(OPENAI);
	});

	it.each(ADDRESSES)(
		"to a server of type %s with %j has the recorded address and headers",
		(type, settings, url, headers) => {
			const tools = [{ name: "f", description: "", schema: {} }];
			expect(write(type, { tools }, settings)).toMatchObject({ url, headers });
			expect(Object.keys(write(type, { tools }, settings).headers).sort()).toEqual(
				[...new Set([...Object.keys(headers), ...userAgentIn(settings)])].sort(),
			);
		},
	);
});

/** The recorded clients appended their own name to a configured user agent, so the header's value is not compared. */
function userAgentIn({ headers = {} }: Partial<ModelSettings>): string[] {
	return Object.keys(headers).filter((name) => name.toLowerCase() === "user-agent");
}

function write(
	type: ModelSettings["type"],
	request: Partial<ChatRequest>,
	settings: Partial<ModelSettings> = {},
	limits?: OutputLimits,
) {
	return writeChatRequest(
		{
			...{ name: "test/small", model: "small", type, baseUrl: "http://127.0.0.1:1/v1/", apiKey: "key" },
			...{ headers: { "x-own": "1" }, windowTokens: undefined, takesImages: true },
			...settings,
		},
		{ system: "", messages: [HI], tools: [], effort: undefined, ...request },
		limits,
	);
}
