// A job of scenarios on a real engine: one line each, and an exit code. The names of those to run are the program's arguments.

export async function runScenarios(engine, scenarios) {
  const asked = process.argv.slice(2)
  let faultCount = 0
  try {
    for (const [name, scenario] of Object.entries(scenarios)) {
      if (asked.length > 0 && !asked.includes(name)) continue
      const { faults, ...figures } = await scenario(engine).catch((error) => ({ faults: [error.stack] }))
      faultCount += faults.length
      process.stdout.write(`${name}: ${faults.length} faults ${JSON.stringify(figures)}\n`)
      for (const fault of faults.slice(0, 10)) process.stdout.write(`  ${fault}\n`)
    }
  } finally {
    await engine.stop()
  }
  process.exitCode = faultCount === 0 ? 0 : 1
}
