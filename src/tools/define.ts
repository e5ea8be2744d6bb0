// `tool`: the two ways a program defines a tool.
import { buildTool, type ToolBuilder } from './builder.js'
import { defineTool } from './definition.js'

/** Defines a tool from one object, or step by step with `tool.build(name)`. */
export const tool: typeof defineTool & { build(name: string): ToolBuilder<Record<never, never>> } = Object.assign(
  defineTool,
  { build: buildTool },
)
