//! Launches: the rules of docs/counting.md, one after another, over all calls for every activity.

use crate::made;
use kforge_analysis::{Launch, LaunchClass, Launches};
use kforge_trace::{Activity, CallId, HostEvent, Trace};
use kforge_units::Nanos;
use proptest::prelude::*;

fn text(trace: &Trace, call: &HostEvent) -> String {
    trace.names().text(call.name).into_owned()
}

fn launches(name: &str) -> bool {
    ["Launch", "Memcpy", "Memset"].iter().any(|word| name.contains(word))
}

/// Of the calls with this number: a launching one, the latest that starts no later, else the first.
fn by_number(trace: &Trace, activity: &Activity) -> Option<CallId> {
    let number = activity.correlation?;
    let all: Vec<(CallId, HostEvent)> =
        trace.calls().iter().filter(|(_, call)| call.correlation == Some(number)).collect();
    let launching: Vec<_> = all.iter().filter(|(_, call)| launches(&text(trace, call))).copied().collect();
    let of = if launching.is_empty() { all } else { launching };
    let before = of.iter().filter(|(_, call)| activity.start.is_some_and(|start| call.start <= start));
    let latest = before.clone().map(|(_, call)| call.start).max();
    let first = of.iter().map(|(_, call)| call.start).min();
    let wanted = latest.or(first)?;
    of.iter().find(|(_, call)| call.start == wanted).map(|(id, _)| *id)
}

/// The call where the first arrow that ends at this activity begins.
fn by_arrow(trace: &Trace, activity: &Activity) -> Option<CallId> {
    let at = activity.start?;
    let begins = |id: i64| {
        trace.arrows().starts().iter().filter(move |arrow| arrow.id == id).find_map(|arrow| {
            let here: Vec<_> = trace
                .calls()
                .iter()
                .filter(|(_, call)| call.thread == arrow.place && call.start == arrow.at)
                .collect();
            let launching = here.iter().find(|(_, call)| launches(&text(trace, call)));
            launching.or(here.first()).map(|(id, _)| *id)
        })
    };
    let ends = trace.arrows().ends().iter().filter(|arrow| arrow.place == activity.lane && arrow.at == at);
    ends.into_iter().find_map(|arrow| begins(arrow.id))
}

fn twin(trace: &Trace, activity: &Activity) -> Launch {
    let call = by_number(trace, activity).or_else(|| by_arrow(trace, activity));
    let smallest = trace.calls().iter().filter_map(|(_, call)| call.correlation).min();
    match (call, activity.correlation, smallest) {
        (Some(call), _, _) if text(trace, &trace.calls().get(call)).contains("GraphLaunch") => {
            Launch::GraphReplay(call)
        }
        (Some(call), _, _) => Launch::Call(call),
        (None, None, _) => Launch::NoNumber,
        (None, Some(number), Some(smallest)) if number < smallest => Launch::BeforeCapture,
        (None, Some(_), _) => Launch::NoCall,
    }
}

proptest! {
    #[test]
    fn every_launch_is_the_one_that_the_rules_name(trace in made::trace()) {
        let found = Launches::of(&trace);
        for (id, activity) in trace.activities().iter() {
            prop_assert_eq!(found.get(id), twin(&trace, &activity), "{:?}", activity);
        }
    }

    #[test]
    fn every_activity_is_in_exactly_one_class(trace in made::trace()) {
        let found = Launches::of(&trace);
        let classes =
            [LaunchClass::Call, LaunchClass::GraphReplay, LaunchClass::BeforeCapture, LaunchClass::Missing];
        let totals = classes.map(|class| found.total(&trace, class));
        let length: Nanos = trace.activities().iter().filter_map(|(_, row)| row.length).sum();
        prop_assert_eq!(totals.iter().map(|(count, _)| count).sum::<u64>(), trace.activities().len() as u64);
        prop_assert_eq!(totals.iter().map(|(_, time)| *time).sum::<Nanos>(), length);
    }

    #[test]
    fn a_launch_without_activity_is_one_that_no_activity_names(trace in made::trace()) {
        let named: Vec<CallId> =
            trace.activities().iter().filter_map(|(_, row)| twin(&trace, &row).call()).collect();
        let unused = trace
            .calls()
            .iter()
            .filter(|(id, call)| text(&trace, call).contains("Launch") && !named.contains(id));
        prop_assert_eq!(Launches::of(&trace).launches_without_activity(), unused.count() as u64);
    }
}
