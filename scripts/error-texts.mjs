// What docs/errors.md says of every error code and of every category of failed tools: when it comes, and what to do.

/** By code, in the order of the page. */
export const codeTexts = {
  invalid_tool_spec: {
    when: 'A tool definition breaks a rule, two sources offer tools of one name, or a definition is not the one that was pinned.',
    remedy:
      'Correct the definition; `detail.rule` names the rule (see below). For names you do not control use `importTool`.',
  },
  invalid_tool_fields: {
    when: 'A signature asks for tool calls but has no tools to call, or the value of a tool field is not what the field takes.',
    remedy: 'Correct the value of the field that the message names.',
  },
  invalid_request: {
    when: 'A request has a member that is wrong or unknown, the provider refuses it, a history cannot be made one that the wire accepts, or stored data is not valid.',
    remedy:
      'Read the message: it has the path (`detail.path`) or the words of the provider. Sending it again does not help.',
  },
  unsupported_feature: {
    when: 'The model is known not to do what was asked; told before the network where it is known (`detail.capability`).',
    remedy:
      'Ask for less, take another model, or correct what is known with the `capabilities` option. `probe` finds out.',
  },
  authentication: {
    when: 'There is no key, or the provider refuses it.',
    remedy: "Set the provider's environment variable, or pass `apiKey`.",
  },
  permission: {
    when: 'The key is good but may not do this: the model, the region, the organisation.',
    remedy: 'Check what the key may do with the provider.',
  },
  not_found: {
    when: 'The model or the address does not exist, or a tool to be replaced is not in the registry.',
    remedy: 'Check the model id (`listModels`) and `baseUrl`.',
  },
  rate_limited: {
    when: 'Too many requests or tokens in a short time, and the retries are used up or the wait asked for is over a minute.',
    remedy: 'Wait `retryAfterMs` when it is there; send less at once; use `fallback`.',
  },
  quota_exceeded: {
    when: 'The plan or the balance of the account is used up. Never retried.',
    remedy: 'Check the billing of the account; `fallback` goes on to another provider.',
  },
  context_too_long: {
    when: 'The conversation does not fit into the context of the model.',
    remedy:
      'Shorten the history; what you cut out need not be paired, sealing repairs it. `react` drops its oldest turns by itself.',
  },
  content_filtered: {
    when: 'The provider withheld the answer, or refused the request, for its content.',
    remedy: 'Change the inputs. A run whose answer was filtered ends with `stop.detail` `content_filter` instead.',
  },
  overloaded: {
    when: 'The provider says that it is overloaded, and went on saying so.',
    remedy: 'Try again later; use `fallback`.',
  },
  server_error: {
    when: 'The provider failed, before or in the middle of an answer; or it answered with a redirect, which is never followed.',
    remedy: 'Try again; what had arrived is `partialOf(error)`. After a redirect check `baseUrl`.',
  },
  network: {
    when: 'The connection could not be made, or it broke.',
    remedy: 'Check that the server runs, and its address.',
  },
  timeout: {
    when: 'No headers within `headersTimeoutMs`, silence for `idleTimeoutMs`, or no end within `timeoutMs`.',
    remedy: 'Raise the one that `detail` or the message names, or stream.',
  },
  aborted: {
    when: 'The signal was aborted, or a stream was left before its end.',
    remedy: 'Nothing: somebody wanted it. In a run it is the stop reason `aborted`.',
  },
  truncated: {
    when: 'A stream ended before the mark that ends it. The answer is not whole, whatever it looks like.',
    remedy: 'Try again; what had arrived is `partialOf(error)`.',
  },
  malformed_response: {
    when: 'The answer is not what the wire says it should be, or no answer to `generate` fits the schema.',
    remedy:
      'Check that `baseUrl` speaks this wire; otherwise try again. After `generate`, `detail.text` is what the model said.',
  },
  malformed_arguments: {
    when: 'The arguments of a call are no complete JSON object, do not fit the schema, or pass a limit (`argsOf`, `decodeArguments`).',
    remedy: 'Answer the call with the message, so that the model corrects itself; the executor does that by itself.',
  },
  missing_required_output: {
    when: 'A signature did not get all of its outputs, or `generate` no answer at all, after the retries.',
    remedy: 'Raise `maxOutputRetries`, make the output optional, or say more about it.',
  },
  limit_exceeded: {
    when: 'Something is larger than a limit that protects memory (a line or body of an answer, stored data, nesting) or time (messages, calls, results, tools and parts of a request or an answer), or `generate` used up `maxCalls` or a budget.',
    remedy: 'The message names the limit; raise it if that much is meant.',
  },
  tool_failed: {
    when: 'What a tool throws as a `ToolExecutionError`. The model reads it; it does not reach the caller of `run`.',
    remedy: 'Nothing in the program; see the categories below.',
  },
  run_locked: {
    when: 'Another process has the run (`detail.host`, `detail.pid`), or took it over because this one had not renewed its lease.',
    remedy: 'Wait until it is done or gone, then open the run again.',
  },
  journal_mismatch: {
    when: 'The journal holds another run than the options describe, the run takes other steps than were recorded, or an earlier version of toolwire wrote the journal.',
    remedy: 'Use the options the run began with, or another `runId`.',
  },
  journal_corrupted: {
    when: 'A line of a journal was changed, or lines are missing (`detail.line`, `detail.reason`). A last line that a crash cut off is not damage.',
    remedy: 'Restore the file, or keep the records before the damage with `toolwire runs check ID --salvage`.',
  },
  misuse: {
    when: 'The library was called in a way that makes no sense: a missing model, a limit below one, options that exclude each other.',
    remedy: 'Correct the call as the message says. Thrown at once, before the network.',
  },
}

/** By category, in the order of the page. */
export const categoryTexts = {
  invalid_arguments:
    'The arguments were cut, are no JSON object, do not fit the schema, or are too large. The tool did not run.',
  authentication_failed: 'A service behind the tool refused its credentials (401).',
  rate_limited:
    'The rate limit of the tool, or of a service behind it (429). `details.retryAfterMs` where it is known.',
  resource_not_found:
    'There is no tool of that name (the message lists those there are), or what it looked for does not exist.',
  execution_timeout:
    'The tool took longer than its `timeoutMs`. It may still be running; its end is a late record in the audit trail.',
  network_error: 'The tool could not reach a service.',
  permission_denied: 'A policy or an approver said no, or a service or the file system did (403, EACCES).',
  cancelled: 'The run was aborted or stopped before the call was done.',
  unknown: 'Anything else that was thrown.',
}
