// Loaded first, it lets a process believe that it is in a process namespace of its own: for machines that permit no real one.
import fs from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const { readlinkSync } = fs
fs.readlinkSync = (path, options) =>
  path === '/proc/self/ns/pid' ? `pid:[${process.pid}]` : readlinkSync(path, options)
syncBuiltinESMExports()
