// Ends the operator where Node is too old. It is imported before all others: an older Node fails
// while it loads them.
import { requireNode } from './api/node-version.ts';

requireNode('swarm-operator');
