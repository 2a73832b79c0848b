// Preloaded into a measured node program: writes what it used when it ends.
import { writeFileSync } from 'node:fs';

process.on('exit', () => {
  writeFileSync(process.env.BENCH_USAGE_FILE, JSON.stringify(process.resourceUsage()));
});
