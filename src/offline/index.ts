// What others use of the offline engine.
export { calculatorTool, clockTool } from './demo-tools.js'
export { offlineEngine, offlineFirstLine } from './engine.js'
