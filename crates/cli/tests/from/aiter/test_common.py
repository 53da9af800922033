def perftest(**_):
    raise RuntimeError("what is proven is not timed by the library's own loop")


checkAllclose = benchmark = run_perftest = perftest
