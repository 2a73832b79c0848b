import { parentPort, workerData } from 'node:worker_threads';
import { type ChooseInput, chooseMoments } from './choose-moments.js';

// The thread that choose-in-worker.ts starts; a bundle of its own, dist/choose-worker.js.
parentPort?.postMessage(chooseMoments(workerData as ChooseInput));
