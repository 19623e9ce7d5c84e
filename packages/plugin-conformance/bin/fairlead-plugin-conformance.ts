#!/usr/bin/env node
// Holds a program against every clause of the plugin wire: fairlead-plugin-conformance [FLAGS] -- COMMAND. This file is the source
// of the packed package's program, and finds the pages that a report points at where the build lays them.
import { join } from 'node:path';
import { conformanceProgram } from '../src/program/conformance-program.ts';

process.exitCode = await conformanceProgram(process.argv.slice(2), {
  cwd: process.cwd(),
  env: process.env,
  pages: join(import.meta.dirname, '../pages'),
  stdout: (text) => void process.stdout.write(text),
  stderr: (text) => void process.stderr.write(text),
});
