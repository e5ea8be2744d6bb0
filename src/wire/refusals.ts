// Refusals: text of an answer for which both wires of OpenAI have a place of their own, each under its own name.
import type { Extra } from '../conversation/messages.js'

/** What marks a text as a refusal, on each wire that can say it: so it stays one from one of them to the other. */
export const refusalNotes: Extra = { 'openai-chat': { $refusal: true }, 'openai-responses': { $refusal: true } }
