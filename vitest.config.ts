import { readFileSync } from 'node:fs';
import { defineConfig } from 'vitest/config';
import { ClosingLine } from './test/helpers/closing-line.js';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

export default defineConfig({
  define: { CLIPCTL_VERSION: JSON.stringify(version) },
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/helpers/make-sample.ts'],
    reporters: ['default', new ClosingLine()],
    // Real services, real ffmpeg: slow machines need time; no test asserts on it.
    testTimeout: 120_000,
    hookTimeout: 120_000,
    maxWorkers: 2,
  },
});
