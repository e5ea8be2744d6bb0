// Writes the JSON Schema of the gateway's config file, as the reader has it, to where editors find it.
import { writeFileSync } from 'node:fs'
import { configSchema } from '../dist/gateway/index.js'

writeFileSync(new URL('../schema/toolwire.config.json', import.meta.url), `${JSON.stringify(configSchema, null, 2)}\n`)
