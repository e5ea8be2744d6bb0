export { type ErrorCode, type ErrorOptions, errorCodes, ToolwireError } from '../errors/error.js'
