/* The import law: what may know of what (docs/architecture.md). */
const error = 'error';
const rule = (name, from, to) => ({ name, severity: error, from: { path: from }, to });

module.exports = {
  forbidden: [
    { name: 'no-circular', severity: error, from: {}, to: { circular: true } },
    rule('domain-is-pure', '^src/domain/', { pathNot: '^(src/domain/|node_modules/@noble/hashes/)' }),
    rule('contracts-know-only-domain', '^src/contracts/', {
      pathNot: '^(src/(domain|contracts)/|node_modules/@temporalio/(workflow|common)/)',
    }),
    rule('workflow-direct-imports', '^workflows/', {
      pathNot: '^(workflows/|src/(domain|contracts)/|node_modules/@temporalio/(workflow|common)/)',
    }),
    rule('sandbox-never-reaches-io', '^workflows/index\\.ts$', {
      path: '^(activities|worker|src/(http|commands|queries|clients|read-model|sessions|tenants|config|main))|node_modules/(mongodb|koa|zod|@temporalio/(client|worker|activity))',
      reachable: true,
    }),
    rule('no-node-core-in-workflows', '^(workflows|src/(domain|contracts))/', { dependencyTypes: ['core'] }),
    rule('activities-imports', '^activities/', {
      path: '^(workflows|worker|src/(http|commands|queries|main|config))|node_modules/(koa|mongodb|@temporalio/(client|worker|workflow))',
    }),
    rule('http-talks-only-to-commands-and-queries', '^src/http/', {
      path: '^(workflows|activities|worker|src/read-model/)|node_modules/(mongodb|@temporalio)',
    }),
    rule('commands-only-talk-to-temporal', '^src/commands/', {
      path: '^src/|node_modules/',
      pathNot: '^(src/(commands|domain|contracts)/|node_modules/(@temporalio/(client|common)|async-mutex)/)',
    }),
    rule('clients-stand-alone', '^src/clients/', { path: '^src/', pathNot: '^src/(clients|domain)/' }),
    rule('read-model-stands-alone', '^src/read-model/', {
      path: '^src/',
      pathNot: '^src/(read-model|domain|contracts)/',
    }),
    {
      name: 'mongo-has-few-doors',
      severity: error,
      from: {
        pathNot:
          '^(src/(read-model|sessions|tenants|rng|demo|foundation\\.ts)|stack/|bench/|chaos/|test/|node_modules/)',
      },
      to: { path: 'node_modules/mongodb' },
    },
    rule('src-never-imports-outward', '^src/', {
      path: '^(workflows|activities|worker|proof|stack|sandbox|bench|chaos|scripts|test)/',
    }),
    rule('sandbox-knows-only-the-sdk', '^(sandbox|sdk)/', {
      path: '^(src|workflows|activities|worker|stack|chaos)/',
    }),
    // It reads what the service has done, and compares it with the rules.
    rule('proof-knows-rules-and-stores', '^proof/', {
      path: '^(activities|stack|sandbox|sdk|chaos|test|src/(http|clients|sessions|tenants|commands))/',
    }),
    rule('nobody-needs-proof', '^(workflows|activities|worker|stack|sandbox|sdk|chaos)/', {
      path: '^proof/',
    }),
    // Tests, chaos, benches and scripts share it.
    rule('harness-is-below-its-users', '^test/support/', {
      path: '^(bench|chaos|scripts|test)/',
      pathNot: '^test/support/',
    }),
    rule('tools-use-the-harness-only', '^(bench|chaos)/', {
      path: '^(bench|chaos|scripts|test)/',
      pathNot: ['^$1/', '^test/support/'],
    }),
    rule('conformance-runs-without-the-rest', '^conformance/', {
      path: '^(src|workflows|activities|worker|stack|sandbox|sdk|chaos|node_modules)/',
      pathNot: '^(sdk/signing\\.ts$|node_modules/@types/)',
    }),
    // It breaks the service from outside; of the code it knows the names by which a workflow is asked, and no rules.
    rule('chaos-judges-from-outside', '^chaos/', {
      path: '^(src|workflows|activities|worker)/',
      pathNot: '^src/contracts/',
    }),
  ],
  options: {
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    doNotFollow: { path: 'node_modules' },
  },
};
