import { describe, expect, test } from 'vitest'
import { schemaLimits } from '../../src/schema/rules.js'
import { hostileRows, judge, judgeText } from './hostile.js'

describe('hostile schemas and values get their verdict within the budget', () => {
  for (const { title, verdict, schema, value, text } of hostileRows) {
    test(title, () => {
      if (text !== undefined) {
        expect(judgeText(schema(), text())).toBe(verdict)
        return
      }
      const first = judge(schema(), value?.())
      expect(first.verdict).toBe(verdict)
      expect(first.work).toBeLessThanOrEqual(schemaLimits.work)
      // The same work whatever was compiled or remembered before.
      expect(judge(schema(), value?.())).toEqual(first)
    })
  }
})
